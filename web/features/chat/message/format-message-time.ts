/** Formats the time of a message (§2.31) in local time: hour:minute if today, else the ISO date; undefined for 0 (unknown). */
export function formatMessageTime(unixTimestamp: number, now = Date.now()): string | undefined {
  if (unixTimestamp === 0) return undefined
  const time = new Date(unixTimestamp)
  return isoDate(time) === isoDate(new Date(now))
    ? `${twoDigits(time.getHours())}:${twoDigits(time.getMinutes())}`
    : isoDate(time)
}

function isoDate(time: Date): string {
  return `${time.getFullYear()}-${twoDigits(time.getMonth() + 1)}-${twoDigits(time.getDate())}`
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}
