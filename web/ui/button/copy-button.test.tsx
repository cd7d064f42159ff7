import { act, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { CopyButton, type CopyButtonProps } from './copy-button.tsx'

const clipboard = { write: vi.fn(), writeText: vi.fn() }
beforeEach(() => {
  clipboard.write.mockReset().mockResolvedValue(undefined)
  clipboard.writeText.mockReset().mockResolvedValue(undefined)
  vi.stubGlobal(
    'ClipboardItem',
    class {
      readonly data: object
      constructor(data: object) {
        this.data = data
      }
    },
  )
  Object.defineProperty(navigator, 'clipboard', { value: clipboard, configurable: true })
})
afterEach(() => {
  vi.unstubAllGlobals()
  Reflect.deleteProperty(navigator, 'clipboard')
})

async function copy(writeHtml: CopyButtonProps['writeHtml']) {
  render(<CopyButton title="Copy" text="**a**" writeHtml={writeHtml} />)
  await act(async () => void fireEvent.click(screen.getByTitle('Copy')))
  expect(await screen.findByTitle('Copied!')).toBeVisible()
}
const writeHtml = async (text: string) => `<p>${text}</p>`

it('copies the text, and the HTML for programs with formatted text', async () => {
  await copy(writeHtml)
  const { data } = clipboard.write.mock.calls[0]![0][0] as { data: Record<string, Blob | Promise<Blob>> }
  const read = async (type: string) => (await data[type])?.text()
  expect(await read('text/plain')).toBe('**a**')
  expect(await read('text/html')).toBe('<p>**a**</p>')
  expect((await data['text/html'])?.type).toBe('text/html')
  expect(clipboard.writeText).not.toHaveBeenCalled()
})

it.each([
  ['there is no HTML', () => undefined],
  ['the browser cannot copy HTML', writeHtml, () => vi.stubGlobal('ClipboardItem', undefined)],
  ['the browser refuses it', writeHtml, () => clipboard.write.mockRejectedValue(new Error('no'))],
] as const)('copies the text alone when %s', async (_, html, prepare?: () => void) => {
  prepare?.()
  await copy(html)
  expect(clipboard.writeText).toHaveBeenCalledExactlyOnceWith('**a**')
})
