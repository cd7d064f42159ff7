import { flushSync } from 'react-dom'
import { createRoot } from 'react-dom/client'
import { MarkdownBody } from '../ui/markdown/markdown-body.tsx'
import '../ui/base.css'

/** Renders growing texts step by step, as markdown or as plain text, for the rendering benchmark. */
declare global {
  interface Window {
    /** Replaces the shown text. */
    begin: (way: 'markdown' | 'plain', text: string) => void
    /** Lengthens the shown text from one length to another, by one step in each frame. */
    grow: (text: string, from: number, to: number, step: number) => Promise<void>
  }
}

const container = document.createElement('div')
container.style.maxWidth = '46rem'
document.body.append(container)

let shown = openPlain()

window.begin = (way, text) => {
  shown.close()
  shown = way === 'plain' ? openPlain() : openMarkdown()
  shown.text(text)
}

window.grow = async (text, from, to, step) => {
  for (let length = from; length <= to; length += step) {
    shown.text(text.slice(0, length))
    scrollTo(0, document.documentElement.scrollHeight)
    await new Promise((resolve) => requestAnimationFrame(resolve))
  }
}

function openMarkdown() {
  const root = createRoot(container)
  return {
    text: (text: string) => flushSync(() => root.render(<MarkdownBody text={text} growing />)),
    close: () => root.unmount(),
  }
}

/** Appends to a single text node: the lower limit of the cost of showing a reply. */
function openPlain() {
  const box = document.createElement('div')
  box.className = 'whitespace-pre-wrap'
  const node = document.createTextNode('')
  box.append(node)
  container.append(box)
  return {
    text: (text: string) => node.appendData(text.slice(node.length)),
    close: () => box.remove(),
  }
}
