/*
 * Formats of local times in the interface: a day is `2026-11-20`, a time of day is `09:05`.
 */

/** Formats a time as hour and minute if it is of today, else as its day. */
export function formatRecent(time: Date, now: Date = new Date()): string {
  return formatDay(time) === formatDay(now) ? formatClock(time) : formatDay(time)
}

/** Formats a time as its day, for example `2026-11-20`. */
export function formatDay(time: Date): string {
  return `${time.getFullYear()}-${twoDigits(time.getMonth() + 1)}-${twoDigits(time.getDate())}`
}

/** Formats a time as hour and minute, for example `09:05`. */
export function formatClock(time: Date): string {
  return `${twoDigits(time.getHours())}:${twoDigits(time.getMinutes())}`
}

/** Formats a time as hour, minute and second, for lists whose entries are seconds apart. */
export function formatClockWithSeconds(time: Date): string {
  return `${formatClock(time)}:${twoDigits(time.getSeconds())}`
}

/** Formats a time as its day, hour and minute. */
export function formatMoment(time: Date): string {
  return `${formatDay(time)} ${formatClock(time)}`
}

/** Formats milliseconds as users read them: '12 ms', '1.4 s', '25 s', '3 min 5 s'. */
export function formatDuration(milliseconds: number): string {
  // The limits keep values from being rounded up to '1000 ms', '10.0 s' or '60 s'.
  if (milliseconds < 999.5) return `${Math.round(milliseconds)} ms`
  const seconds = milliseconds / 1000
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`
  const rounded = Math.round(seconds)
  if (rounded < 60) return `${rounded} s`
  const [minutes, remainder] = [Math.floor(rounded / 60), rounded % 60]
  return remainder === 0 ? `${minutes} min` : `${minutes} min ${remainder} s`
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}
