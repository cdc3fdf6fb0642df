// What all kernels of the radix sort share: parameters, tiles, and an exclusive sum over a workgroup.
// The other files of the sort are appended to this one.

const THREADS = 256u;
// 16 keys per invocation: enough loads in flight to hide memory, and few enough that keys and ranks stay
// in registers. 4096 keys over 256 bins give runs of 16 keys, 64 bytes, in the scattered stores.
const TILE = 4096u;
// Digits of 8 bits.
const BINS = 256u;
// The digit of a key that does not exist. It sorts behind all others, as it is behind them.
const PAD = 0xffffffffu;

struct Parameters {
    count: u32,
    // A column is what one workgroup counts and scatters: consecutive tiles.
    columns: u32,
    tiles_per_column: u32,
    // Lowest bit of the digit.
    shift: u32,
    // Invocations that sum up a row, the counts of one digit; a power of two.
    threads_per_row: u32,
}

@group(0) @binding(0) var<uniform> parameters: Parameters;

fn digit(key: u32) -> u32 {
    return (key >> parameters.shift) & (BINS - 1u);
}

// The tile behind the last one of a column.
fn end_of_column(column: u32) -> u32 {
    let tiles = (parameters.count + TILE - 1u) / TILE;
    return min((column + 1u) * parameters.tiles_per_column, tiles);
}

struct Scanned {
    before: u32,
    total: u32,
}

var<workgroup> scan_sums: array<u32, 512>;
var<workgroup> scan_total: u32;

// Sum of the values of the threads before, and of all. Each step quadruples the window that a sum covers
// (Kogge-Stone in base 4) and writes the half of the memory that no lane reads: five barriers instead of the
// sixteen of the textbook form.
fn scan(value: u32, thread: u32) -> Scanned {
    var sum = value;
    var half = 0u;
    for (var window = 1u; window < THREADS; window *= 4u) {
        scan_sums[half + thread] = sum;
        workgroupBarrier();
        for (var back = window; back < 4u * window; back += window) {
            if back <= thread {
                sum += scan_sums[half + thread - back];
            }
        }
        half ^= THREADS;
    }
    if thread == THREADS - 1u {
        scan_total = sum;
    }
    workgroupBarrier();
    return Scanned(sum - value, scan_total);
}
