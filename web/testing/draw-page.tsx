import { flushSync } from 'react-dom'
import { createRoot } from 'react-dom/client'
import { MarkdownBody } from '../ui/markdown/markdown-body.tsx'
import '../ui/base.css'

/** Draws growing texts, as markdown or plain, step by step, for the benchmark of drawing. */
declare global {
  interface Window {
    /** Shows a text as it stands, in place of what was there. */
    begin: (way: 'markdown' | 'plain', text: string) => void
    /** Grows the text from one length to another, a step a frame. */
    grow: (text: string, from: number, to: number, step: number) => Promise<void>
  }
}

const place = document.createElement('div')
place.style.maxWidth = '46rem'
document.body.append(place)

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
  const root = createRoot(place)
  return {
    text: (text: string) => flushSync(() => root.render(<MarkdownBody text={text} open />)),
    close: () => root.unmount(),
  }
}

/** One text node that is appended to: the least that showing an answer can cost. */
function openPlain() {
  const box = document.createElement('div')
  box.className = 'whitespace-pre-wrap'
  const node = document.createTextNode('')
  box.append(node)
  place.append(box)
  return {
    text: (text: string) => node.appendData(text.slice(node.length)),
    close: () => box.remove(),
  }
}
