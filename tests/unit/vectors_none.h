#pragma once
// What stands where code for certain vectors begins and ends, of a file that has none.
