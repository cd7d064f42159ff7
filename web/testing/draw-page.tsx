import { flushSync } from 'react-dom'
import { createRoot } from 'react-dom/client'
import { InertText } from '../ui/inert-text.tsx'
import { MarkdownBody } from '../ui/markdown/markdown-body.tsx'
import '../ui/base.css'

/** What draws a text. */
export type DrawWay = 'markdown' | 'finished' | 'inert' | 'plain'

/** Renders growing texts step by step, for the rendering benchmarks. */
declare global {
  interface Window {
    /** Replaces the shown text. */
    begin: (way: DrawWay, text: string) => void
    /** Lengthens the shown text from one length to another, by one step in each frame. */
    grow: (text: string, from: number, to: number, step: number) => Promise<void>
    /** Resolves when the page has drawn everything and has nothing to do. */
    settle: () => Promise<void>
    /** The longest time, in ms, in which the page answered nothing; 0 below 50 ms. The benchmark sets it back. */
    holdMs: number
  }
}

const container = document.createElement('div')
container.style.maxWidth = '46rem'
document.body.append(container)

let shown = openPlain()

window.begin = (way, text) => {
  shown.close()
  shown = way === 'plain' ? openPlain() : openReact(way)
  shown.text(text)
}

window.grow = async (text, from, to, step) => {
  for (let length = from; length <= to; length += step) {
    shown.text(text.slice(0, length))
    scrollTo(0, document.documentElement.scrollHeight)
    await new Promise((resolve) => requestAnimationFrame(resolve))
  }
}

window.settle = async () => {
  for (let round = 0; round < 3; round++) {
    await new Promise((resolve) => requestAnimationFrame(resolve))
    await new Promise((resolve) => requestIdleCallback(resolve))
  }
}

window.holdMs = 0
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) window.holdMs = Math.max(window.holdMs, duration)
}).observe({ type: 'longtask' })

function openReact(way: Exclude<DrawWay, 'plain'>) {
  const root = createRoot(container)
  const draw = (text: string) =>
    way === 'inert' ? (
      <pre className="whitespace-pre-wrap wrap-anywhere">
        <InertText>{text}</InertText>
      </pre>
    ) : (
      <MarkdownBody text={text} growing={way === 'markdown'} />
    )
  return {
    text: (text: string) => flushSync(() => root.render(draw(text))),
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
