import { createContext, use, useEffect, useLayoutEffect, useRef, useState, type ReactNode } from 'react'
import { useKeepMounted } from '../lib/keep-mounted.ts'
import { classNames } from './class-names.ts'
import './tool-text.css'

/**
 * For a question about texts: the function is called by each text whose end has not been shown, and the returned one
 * when it has.
 */
export const CutTextContext = createContext<() => () => void>(() => () => undefined)

export interface ToolTextProps {
  /** The accessible name. */
  readonly label: string
  /** `low` is for a text that is usually short, `ten` for one that is cut after its tenth line. */
  readonly height?: 'full' | 'low' | 'ten'
  /** `prose` is for a text in sentences, such as that of an email. */
  readonly look?: 'code' | 'prose'
  /** `InertText` elements. */
  readonly children: ReactNode
}

/**
 * A text of a tool with its own line breaks. Long lines wrap. A long text scrolls, with the keyboard too, and says how
 * much of it is shown, since its end may be what matters; a button shows all of it.
 */
export function ToolText({ label, height = 'full', look = 'code', children }: ToolTextProps) {
  const box = useRef<HTMLPreElement>(null)
  const content = useRef<HTMLSpanElement>(null)
  const [lines, setLines] = useState<LineCounts>()
  const [isAtEnd, setAtEnd] = useState(false)
  const [isOpen, setOpen] = useState(false)
  useLayoutEffect(() => {
    const element = content.current
    if (element === null) return
    const measure = () => setLines(countLines(element, height))
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [height])
  const isCut = lines !== undefined && !isOpen
  const hasUnseen = isCut && !isAtEnd
  const addCut = use(CutTextContext)
  useEffect(() => (hasUnseen ? addCut() : undefined), [hasUnseen, addCut])
  useKeepMounted(isOpen)
  const toggle = () => {
    setOpen(!isOpen)
    setAtEnd(false)
    // The page gets shorter above the button, which would otherwise leave the window.
    if (isOpen) requestAnimationFrame(() => box.current?.scrollIntoView({ block: 'nearest' }))
  }
  const all = height === 'ten' && lines !== undefined ? ` ${lines.all.toLocaleString('en')} lines` : ''
  const buttonText = isOpen ? 'Show less' : `Show all${all}`
  return (
    <div className="min-w-0">
      <pre
        ref={box}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        aria-label={label}
        style={isOpen ? undefined : { maxHeight: maxHeights[height] }}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) =>
          setAtEnd(scrollHeight - scrollTop - clientHeight < 2)
        }
        className={classNames(
          'scroll-mt-[calc(var(--spacing-header-end)+1rem)] overflow-auto wrap-anywhere whitespace-pre-wrap [tab-size:4] [unicode-bidi:plaintext]',
          look === 'code' ? 'rounded-control bg-sunken px-3 py-2.5 font-mono text-code' : 'font-sans',
          hasUnseen && 'tool-text-cut',
        )}
      >
        <span ref={content} className="block">
          {children}
        </span>
      </pre>
      {lines !== undefined && (
        <p className="mt-1 flex flex-wrap print:hidden items-baseline gap-x-2 text-xs">
          {!isOpen && (
            <span className="font-medium text-warning tabular-nums">
              {lines.shown.toLocaleString('en')} of {lines.all.toLocaleString('en')} lines are shown.
            </span>
          )}
          <button
            type="button"
            aria-expanded={isOpen}
            aria-label={`${buttonText}: ${label}`}
            onClick={toggle}
            className="touch-target font-medium text-accent underline-offset-2 hover:underline"
          >
            {buttonText}
          </button>
        </p>
      )}
    </div>
  )
}

/** The height to which a text is cut, in pixels or as CSS: ten lines with the space around the text. */
const maxHeights = { full: 352, low: 120, ten: 'calc(10lh + 1.25rem)' } as const

interface LineCounts {
  readonly shown: number
  readonly all: number
}

/** Counts the lines of a text as it is laid out; undefined if it fits into the height. */
function countLines(content: HTMLElement, height: keyof typeof maxHeights): LineCounts | undefined {
  const { lineHeight } = getComputedStyle(content)
  const linePx = Number.parseFloat(lineHeight)
  const all = Math.round(content.offsetHeight / linePx)
  const shown = height === 'ten' ? 10 : Math.floor(maxHeights[height] / linePx)
  return all > shown ? { shown, all } : undefined
}
