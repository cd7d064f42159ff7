/** A moment (milliseconds since 1970) as people of a time zone say it, or nothing when there is no such zone. */
export function describeTime(moment: number, timeZone: string): string | undefined {
  let format: Intl.DateTimeFormat
  try {
    format = new Intl.DateTimeFormat('en-GB', {
      timeZone,
      weekday: 'long',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
      timeZoneName: 'longOffset',
    })
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
  const part = (type: Intl.DateTimeFormatPartTypes): string =>
    format.formatToParts(moment).find((found) => found.type === type)?.value ?? ''
  const date = `${part('year')}-${part('month')}-${part('day')}`
  const time = `${part('hour')}:${part('minute')}:${part('second')}`
  const offset = part('timeZoneName').replace(/^GMT$/, 'UTC').replace('GMT', 'UTC')
  return `${part('weekday')}, ${date} ${time} (${timeZone}, ${offset})`
}
