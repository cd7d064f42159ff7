import { useEffect, useState } from 'react'

/** The chats of one time in a list that is ordered by time, the newest first. */
export interface TimeGroup<Row> {
  readonly label: string
  readonly rows: readonly Row[]
}

/** How many days the groups before the months contain, today included. */
const days = [
  { label: 'Today', days: 1 },
  { label: 'Yesterday', days: 2 },
  { label: 'Previous 7 days', days: 8 },
  { label: 'Previous 30 days', days: 31 },
]

const monthName = new Intl.DateTimeFormat('en', { month: 'long' })

/**
 * Groups rows, the newest first, by the days and months of the browser's time zone. `today` is a time of the current
 * day. A month of another year has the year in its label.
 */
export function groupByTime<Row extends { readonly update_time: string }>(
  rows: readonly Row[],
  today: Date,
): readonly TimeGroup<Row>[] {
  const groups: { label: string; rows: Row[] }[] = []
  /** The group of the last row, and when its time begins. Times of this form are in the order of their texts. */
  let group: Row[] = []
  let start: string | undefined
  for (const row of rows) {
    if (start === undefined || row.update_time < start) {
      const period = findPeriod(new Date(row.update_time), today)
      start = period.start.toISOString()
      group = []
      groups.push({ label: period.label, rows: group })
    }
    group.push(row)
  }
  return groups
}

function findPeriod(time: Date, today: Date): { readonly label: string; readonly start: Date } {
  const [year, month, day] = [today.getFullYear(), today.getMonth(), today.getDate()]
  for (const { label, days: count } of days) {
    // The constructor knows the days of 23 and 25 hours.
    const start = new Date(year, month, day + 1 - count)
    if (time >= start) return { label, start }
  }
  const name = monthName.format(time)
  return {
    label: time.getFullYear() === year ? name : `${name} ${time.getFullYear()}`,
    start: new Date(time.getFullYear(), time.getMonth(), 1),
  }
}

/** Returns the start of the current day; another one from midnight on. */
export function useToday(): Date {
  const [today, setToday] = useState(startOfDay)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>
    const update = () => {
      clearTimeout(timer)
      const now = startOfDay()
      setToday((before) => (before.getTime() === now.getTime() ? before : now))
      const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1)
      timer = setTimeout(update, midnight.getTime() - Date.now())
    }
    update()
    // The timer stands still while the computer sleeps.
    document.addEventListener('visibilitychange', update)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', update)
    }
  }, [])
  return today
}

function startOfDay(): Date {
  const now = new Date()
  return new Date(now.getFullYear(), now.getMonth(), now.getDate())
}
