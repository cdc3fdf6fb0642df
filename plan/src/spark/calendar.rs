//! Times of events.

/// The last millisecond of the year 9999: the end of the calendar.
const LAST_MS: u64 = 253_402_300_799_999;

/// A time in milliseconds since 1970, if a calendar has it.
pub(super) fn moment(ms: impl Into<Option<u64>>) -> Option<u64> {
    ms.into().filter(|ms| *ms <= LAST_MS)
}
