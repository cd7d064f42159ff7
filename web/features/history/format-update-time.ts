/** When a chat last changed: the time if that was today, the day otherwise, with the year if it is another one. */
export function formatUpdateTime(iso: string, now: Date = new Date()): string {
  const time = new Date(iso)
  if (Number.isNaN(time.getTime())) return ''
  if (time.toDateString() === now.toDateString())
    return time.toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
  return time.toLocaleDateString(undefined, {
    day: 'numeric',
    month: 'short',
    ...(time.getFullYear() === now.getFullYear() ? {} : { year: 'numeric' }),
  })
}
