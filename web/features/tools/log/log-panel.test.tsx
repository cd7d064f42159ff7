import { fireEvent, render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { LogPanel } from './log-panel.tsx'
import { emptyServerLog, type ServerLog } from './server-log.ts'

const logOf = (count: number): ServerLog => ({
  ...emptyServerLog,
  entries: Array.from({ length: count }, (_, index) => ({
    id: index + 1,
    server: 'files',
    status: 'info',
    message: `Line ${index + 1}`,
    timestamp: '10:00:00',
  })),
})
const panel = (log: ServerLog) => <LogPanel log={log} onClear={() => undefined} onClose={() => undefined} />

/** Sets the heights that a browser would compute: 20 px per line, and ten visible lines. */
function layOut(box: HTMLElement, count: number): void {
  Object.defineProperty(box, 'scrollHeight', { value: count * 20, configurable: true })
  Object.defineProperty(box, 'clientHeight', { value: 200, configurable: true })
}

it.each([
  [0, true],
  [100, true],
  [101, false],
])('at %d px from the end, follows new lines: %s (§2.28, §9.10)', (distance, follows) => {
  const { rerender } = render(panel(logOf(50)))
  const box = screen.getByRole('log')
  layOut(box, 50)
  box.scrollTop = 1000 - 200 - distance
  fireEvent.scroll(box)
  const before = box.scrollTop
  layOut(box, 51)
  rerender(panel(logOf(51)))
  expect(screen.getByText('Line 51')).toBeInTheDocument()
  expect(box.scrollTop).toBe(follows ? 1020 : before)
})

it('shows the status, time and server of each line, and the status of each server (§3.16, §3.17)', () => {
  render(
    panel({
      ...logOf(1),
      servers: { notes: { status: 'error', lastUpdated: '10:00:07', message: 'It does not answer.' } },
    }),
  )
  const [server, entry] = screen.getAllByRole('listitem')
  expect(server).toHaveTextContent('noteserrorIt does not answer.10:00:07')
  expect(entry).toHaveTextContent('info files10:00:00Line 1')
})
