import type { RunEvent } from '@yonder/contract/completion'
import { describe, expect, it } from 'vitest'
import { emptyServerLog, listServers, reduceServerLog, type ServerLog } from './server-log.ts'

let seq = 0
const receive = (log: ServerLog, status: string, more: { server?: string; finished?: boolean } = {}) => {
  const event: RunEvent = {
    type: 'mcp_status',
    seq: (seq += 1),
    status,
    server: more.server ?? 'files',
    message: `${status} of ${more.server ?? 'files'}`,
    ...(more.finished === undefined ? {} : { finished: more.finished }),
  }
  return reduceServerLog(log, { type: 'event', event, time: `time ${seq}` })
}
const lines = (log: ServerLog) => log.entries.map(({ status }) => status)

describe('the log of tool servers', () => {
  it('begins a round with the first connecting event: clears the log and shows the panel (§4.7, §4.8)', () => {
    const before = { ...receive(emptyServerLog, 'info'), visible: false }
    const log = receive(before, 'connecting')
    expect(log).toMatchObject({ inRound: true, visible: true })
    expect(lines(log)).toEqual(['connecting'])
  })

  it('continues the round at the next one, also when the panel was closed (§4.8)', () => {
    const closed = reduceServerLog(receive(emptyServerLog, 'connecting'), { type: 'close' })
    const log = receive(closed, 'connecting', { server: 'notes' })
    expect(log).toMatchObject({ inRound: true, visible: false })
    expect(lines(log)).toEqual(['connecting', 'connecting'])
  })

  it('ends the round with the finishing flag, so that the next connecting event begins another (§4.9)', () => {
    const done = receive(receive(emptyServerLog, 'connecting'), 'summary', { finished: true })
    expect(done.inRound).toBe(false)
    expect(lines(done)).toEqual(['connecting', 'summary'])
    expect(lines(receive(done, 'connecting'))).toEqual(['connecting'])
  })

  it('ends the round when its run ends without the flag', () => {
    const log = reduceServerLog(receive(emptyServerLog, 'connecting'), {
      type: 'event',
      event: { type: 'ended', seq: 99, status: 'interrupted' },
      time: '',
    })
    expect(log).toMatchObject({ inRound: false, visible: true })
  })

  it('lists the servers of the round only, the failing ones first', () => {
    let log = receive(emptyServerLog, 'connected', { server: 'removed' })
    for (const server of ['a', 'b', 'c']) log = receive(log, 'connecting', { server })
    log = receive(receive(log, 'connected', { server: 'a' }), 'error', { server: 'b' })
    const statuses = () => listServers(log).map(([name, { status }]) => `${name} ${status}`)
    expect(statuses()).toEqual(['b error', 'c connecting', 'a connected'])
    log = receive(log, 'summary', { server: '', finished: true })
    expect(statuses()).toEqual(['b error', 'c disconnected', 'a connected'])
    expect(log.servers['c']?.message).toBe('It has not responded yet.')
    // It responds after the round.
    log = receive(log, 'connected', { server: 'c' })
    expect(statuses()).toEqual(['b error', 'a connected', 'c connected'])
  })

  it('does not leave a server connecting when the run ends', () => {
    const log = reduceServerLog(receive(emptyServerLog, 'connecting'), {
      type: 'event',
      event: { type: 'ended', seq: 99, status: 'stopped' },
      time: '',
    })
    expect(log.servers['files']?.status).toBe('disconnected')
  })

  it('adds a line for info and summary, and does not change the status of the server (§4.10)', () => {
    const connected = receive(emptyServerLog, 'connected')
    for (const status of ['info', 'summary']) {
      const log = receive(connected, status)
      expect(log.servers).toBe(connected.servers)
      expect(lines(log)).toEqual(['connected', status])
    }
  })

  it('keeps the status, time and message of each server (§3.16, §4.11)', () => {
    let log = emptyServerLog
    for (const status of ['connecting', 'connected', 'error', 'disconnected', 'gone fishing'])
      log = receive(log, status, { server: status })
    expect(Object.values(log.servers).map(({ status }) => status)).toEqual([
      'connecting',
      'connected',
      'error',
      'disconnected',
      'disconnected',
    ])
    expect(log.servers['error']).toEqual({
      status: 'error',
      lastUpdated: expect.stringMatching(/^time \d+$/),
      message: 'error of error',
    })
  })

  it('can be cleared and closed without losing the status of the servers (§2.28)', () => {
    const log = receive(emptyServerLog, 'connecting')
    expect(reduceServerLog(log, { type: 'clear' })).toEqual({ ...log, entries: [] })
    expect(reduceServerLog(log, { type: 'close' })).toEqual({ ...log, visible: false })
  })
})
