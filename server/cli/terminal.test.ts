import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { openTerminal, type TerminalOptions } from './terminal.ts'

function open(isTTY: boolean, options: TerminalOptions = {}) {
  const stdin = Object.assign(new PassThrough(), { isTTY })
  const stdout = new PassThrough()
  const stderr = Object.assign(new PassThrough(), { isTTY })
  const terminal = openTerminal({ stdin, stdout, stderr }, () => options)
  return {
    terminal,
    stdin,
    async printed() {
      stdout.end()
      stderr.end()
      return { stdout: await text(stdout), stderr: await text(stderr) }
    },
  }
}

describe('the progress of long work', () => {
  afterEach(() => vi.useRealTimers())

  it('is one line that is rewritten on a terminal, and erased before the result', async () => {
    const { terminal, printed } = open(true)
    terminal.progress('Chat 1 of 2')
    terminal.progress('Chat 2 of 2')
    terminal.print({ text: 'done', data: {} })
    expect(await printed()).toEqual({
      stdout: 'done\n',
      stderr: '\r\u001B[2KChat 1 of 2\r\u001B[2KChat 2 of 2\r\u001B[2K',
    })
  })

  it('is a line every five seconds elsewhere', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const { terminal, printed } = open(false)
    for (let second = 0; second < 12; second++) {
      terminal.progress(`second ${second}`)
      vi.advanceTimersByTime(1_000)
    }
    expect((await printed()).stderr).toBe('second 0\nsecond 5\nsecond 10\n')
  })

  it('is not printed with --json', async () => {
    const { terminal, printed } = open(true, { json: true })
    terminal.progress('Chat 1 of 2')
    terminal.print({ text: 'done', data: { chats: 2 } })
    expect(await printed()).toEqual({ stdout: '{"chats":2}\n', stderr: '' })
  })
})

describe('a question before data is destroyed', () => {
  it.each([
    ['yes\n', true],
    [' YES \n', true],
    ['y\n', false],
    ['\n', false],
    ['\u0003', false],
    ['\u0004', false],
  ])('after %j the work is done: %s', async (typed, isConfirmed) => {
    const { terminal, stdin, printed } = open(true)
    stdin.write(typed)
    const answer = terminal.confirm('This deletes it.')
    if (isConfirmed) await answer
    else await expect(answer).rejects.toThrow('Nothing was changed.')
    expect((await printed()).stderr).toContain('This deletes it. Type yes to continue: ')
  })

  it('is not asked without a terminal, and the work is not done', async () => {
    const { terminal } = open(false)
    await expect(terminal.confirm('This deletes it.')).rejects.toThrow('Repeat the command with --yes')
  })

  it('is not asked with --json, and the work is not done', async () => {
    const { terminal, stdin, printed } = open(true, { json: true })
    stdin.write('yes\n')
    await expect(terminal.confirm('This deletes it.')).rejects.toThrow('Repeat the command with --yes')
    expect(await printed()).toEqual({ stdout: '', stderr: '' })
  })

  it('is not asked with --yes', async () => {
    const { terminal, printed } = open(false, { yes: true })
    await terminal.confirm('This deletes it.')
    expect((await printed()).stderr).toBe('')
  })
})
