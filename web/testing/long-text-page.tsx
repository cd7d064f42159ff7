import { useState } from 'react'
import { flushSync } from 'react-dom'
import { createRoot } from 'react-dom/client'
import { MemoryRouter } from 'react-router'
import { Composer } from '../features/chat/composer/composer.tsx'
import { UnsentNote } from '../features/chat/composer/unsent-note.tsx'
import { ReplyMessage } from '../features/chat/message/reply-message.tsx'
import { UserMessage } from '../features/chat/message/user-message.tsx'
import { CallDetails } from '../features/tools/call/call-details.tsx'
import { ApiProvider } from '../lib/api/api-provider.tsx'
import { MarkdownBody } from '../ui/markdown/markdown-body.tsx'
import { ScriptedApi } from './scripted-api.ts'
import { makeBot, makeMessage, makeReply } from './wire-objects.ts'
import '../features/tools/tools.css'
import '../ui/base.css'

/** Shows long texts in the places that show texts, or as a plain element, for a benchmark. */
declare global {
  interface Window {
    /** The names of the places that `show` accepts, besides 'plain' and 'plain input'. */
    places: readonly string[]
    /** Replaces what is shown. */
    show: (place: string, text: string) => void
    /** Shows a text that grows to its whole length in `steps` frames, as a reply or as a plain element. */
    growInSteps: (place: 'reply' | 'plain', text: string, steps: number) => Promise<void>
  }
}

const api = new ScriptedApi().client
const bot = makeBot()
const choice = { bots: [bot], error: undefined, selected: bot, select: () => undefined }

const draw: Readonly<Record<string, (text: string) => React.ReactNode>> = {
  reply: (text) => (
    <ReplyMessage earlier={[]} last={makeReply('a1', 'u1', { content: text })} isWriting={false} />
  ),
  'failed reply': (text) => (
    <ReplyMessage
      earlier={[]}
      last={makeReply('a1', 'u1', {
        status: 'failed',
        content: '',
        partial: '',
        error: { code: 'upstream_error', message: text },
      })}
      isWriting={false}
    />
  ),
  'code block': (text) => <MarkdownBody text={`\`\`\`json\n${text}\n\`\`\``} growing={false} />,
  'code in a list': (text) => (
    <MarkdownBody text={`- ${text.slice(0, 40_000)}\n- \`${text.slice(0, 8000)}\``} growing={false} />
  ),
  'own message': (text) => <UserMessage message={makeMessage('u1', null, { content: text })} />,
  'message not sent': (text) => (
    <ApiProvider api={api}>
      <UnsentNote
        text={text}
        failure={{ cause: 'offline' }}
        onSendAgain={() => undefined}
        onEdit={() => undefined}
        onRemoved={() => undefined}
      />
    </ApiProvider>
  ),
  'tool call': (text) => (
    <CallDetails
      message={makeReply('a1', 'u1', { tool: 'read', server: 'files', arguments: JSON.stringify({ text }) })}
      result={makeMessage('r1', 'a1', { content: text, server: 'files' })}
    />
  ),
  reasoning: (text) => (
    <ReplyMessage earlier={[]} last={makeReply('a1', 'u1', { reasoning: text })} isWriting={false} />
  ),
  composer: (text) => <Input text={text} />,
}

function Input({ text }: { readonly text: string }) {
  const [key] = useState(() => {
    if (text !== '') localStorage.setItem('draft', text)
    else localStorage.removeItem('draft')
    return 'draft'
  })
  return (
    <Composer choice={choice} draftKey={key} busy={false} onSend={() => undefined} onStop={() => undefined} />
  )
}

const container = document.createElement('div')
container.style.maxWidth = '46rem'
document.body.append(container)
let root = createRoot(container)

window.places = Object.keys(draw)
window.show = (name, text) => {
  root.unmount()
  root = createRoot(container)
  if (name === 'plain') container.replaceChildren(plainElement('pre', text))
  else if (name === 'plain input') container.replaceChildren(plainElement('textarea', text))
  else flushSync(() => root.render(<MemoryRouter>{draw[name]?.(text)}</MemoryRouter>))
}
window.growInSteps = async (name, text, steps) => {
  window.show('plain', '')
  const node = document.createTextNode('')
  if (name === 'plain') container.firstElementChild?.append(node)
  else container.replaceChildren()
  for (let step = 1; step <= steps; step += 1) {
    const shown = text.slice(0, Math.ceil((text.length * step) / steps))
    if (name === 'plain') node.appendData(shown.slice(node.length))
    else flushSync(() => root.render(<MarkdownBody text={shown} growing />))
    scrollTo(0, document.documentElement.scrollHeight)
    await new Promise((resolve) => requestAnimationFrame(resolve))
  }
}

function plainElement(tag: 'pre' | 'textarea', text: string): HTMLElement {
  const element = document.createElement(tag)
  element.className = 'w-full whitespace-pre-wrap'
  if (element instanceof HTMLTextAreaElement) element.value = text
  else element.textContent = text
  return element
}
