import { act, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { connectionLogsPreference } from '../../features/preferences/connection-logs.ts'
import { button, chatOf, openToolChat, send, waitForTurnEnd } from '../../testing/tool-chat-scene.tsx'

describe('the connection log', () => {
  const connect = async (preference: string | undefined) => {
    if (preference !== undefined) localStorage.setItem('showMcpLogs', preference)
    const { api, view } = await openToolChat(chatOf())
    const stream = await send(api, 'Hello')
    const sendStatus = (status: string, text: string, finished?: boolean) =>
      stream.send({
        type: 'mcp_status',
        server: 'files',
        status,
        message: text,
        ...(finished === undefined ? {} : { finished }),
      })
    sendStatus('connecting', 'Connecting to files')
    sendStatus('connected', 'Connected to files')
    sendStatus('summary', '1 of 1 connected', true)
    stream.text('Good day.')
    stream.end()
    expect(await screen.findByText('Good day.')).toBeVisible()
    await waitForTurnEnd()
    return view
  }
  const panel = () => screen.queryByRole('complementary', { name: 'Connection logs' })

  it('is shown beside the chat when the preference is on, and can be cleared and closed (§1.10, §2.28, §3.22, §4.8, §7.33)', async () => {
    await connect('true')
    expect(within(panel()!).getAllByText('Connected to files')).toHaveLength(2)
    expect(within(panel()!).getByText('1 of 1 connected')).toBeVisible()
    await userEvent.click(button('Clear logs'))
    expect(button('Clear logs')).toHaveFocus()
    expect(within(panel()!).queryByText('1 of 1 connected')).toBeNull()
    expect(within(panel()!).getByText('Nothing has been logged.')).toBeVisible()
    expect(within(panel()!).getByText('connected')).toBeVisible()
    await userEvent.click(button('Close logs'))
    expect(panel()).toBeNull()
  })

  it('is not shown unless the preference is on (§9.14)', async () => {
    await connect(undefined)
    expect(panel()).toBeNull()
  })

  it('shows the current round when the preference is switched on', async () => {
    await connect(undefined)
    act(() => connectionLogsPreference.set(true))
    expect(within(panel()!).getByText('1 of 1 connected')).toBeVisible()
  })

  it('is empty and closed when the chat is opened again', async () => {
    const { unmount } = await connect('true')
    expect(panel()).toBeVisible()
    unmount()
    await openToolChat(chatOf())
    expect(panel()).toBeNull()
  })
})
