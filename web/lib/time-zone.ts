/** The time zone of this browser, for the instructions of the bot. Without this field, the server uses UTC. */
export function timeZoneField(): { readonly time_zone?: string } {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
  return timeZone === 'UTC' ? {} : { time_zone: timeZone }
}
