import { afterEach, expect, test, vi } from 'vitest'
import { beginChange, isAnnouncedNow, readAnnounced, readNow, setAnnouncedReads } from './announced-reads.ts'

afterEach(() => setAnnouncedReads())

test('reads are announced only while the live stream is open', () => {
  expect(isAnnouncedNow('/api/bots')).toBe(false)
  setAnnouncedReads(['/api/bots'], true)
  expect([isAnnouncedNow('/api/bots'), isAnnouncedNow('/api/shares')]).toEqual([true, false])
  setAnnouncedReads(['/api/bots'], false)
  expect(isAnnouncedNow('/api/bots')).toBe(false)
})

test('an announced read waits for the running changes of its list, and is then done once', () => {
  const read = vi.fn()
  const ends = [beginChange('/api/bots'), beginChange('/api/bots')]
  readAnnounced('/api/bots', read)
  readAnnounced('/api/bots', read)
  ends[0]?.()
  ends[0]?.()
  expect(read).not.toHaveBeenCalled()
  ends[1]?.()
  expect(read).toHaveBeenCalledTimes(1)
  readAnnounced('/api/bots', read)
  expect(read).toHaveBeenCalledTimes(2)
})

test('an immediate read replaces the announced reads before it, but not those announced during it', () => {
  const held = vi.fn()
  const end = beginChange('/api/bots')
  readAnnounced('/api/bots', held)
  readNow('/api/bots', () => undefined)
  readAnnounced('/api/bots', held)
  end()
  expect(held).toHaveBeenCalledTimes(1)
})

test('a change of one list does not delay another', () => {
  const read = vi.fn()
  const end = beginChange('/api/bots')
  readAnnounced('/api/integrations', read)
  expect(read).toHaveBeenCalledTimes(1)
  end()
})
