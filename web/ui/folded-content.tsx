import { useLayoutEffect, useRef, useState, type ReactNode } from 'react'
import { useKeepMounted } from '../lib/keep-mounted.ts'
import { classNames } from './class-names.ts'
import './folded-content.css'

/** Content up to this height, in pixels, is shown whole. Taller content is cut to `foldedPx`. */
const maxWholePx = 528
/** The height of folded content, in pixels. */
export const foldedPx = 416

/** Cuts tall content until the user presses 'Show all'. */
export function FoldedContent({ children }: { readonly children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const [isTall, setTall] = useState(false)
  const [isOpen, setOpen] = useState(false)
  useLayoutEffect(() => {
    const element = content.current
    if (element === null) return
    const measure = () => setTall(element.offsetHeight > maxWholePx)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  const isFolded = isTall && !isOpen
  // Opened content stays open while the user scrolls away and back.
  useKeepMounted(isTall && isOpen)
  const toggle = () => {
    setOpen(!isOpen)
    // The page gets shorter above the button, which would otherwise leave the window.
    if (isOpen) requestAnimationFrame(() => box.current?.scrollIntoView({ block: 'nearest' }))
  }
  return (
    <>
      <div
        ref={box}
        className={classNames(
          'scroll-mt-[calc(var(--spacing-header-end)+1rem)]',
          isFolded && 'folded-content',
        )}
        style={isFolded ? { maxHeight: foldedPx } : undefined}
        // The focus on a link that is cut scrolls the box to the link.
        onScroll={({ currentTarget }) => {
          if (!isFolded || currentTarget.scrollTop === 0) return
          currentTarget.scrollTop = 0
          setOpen(true)
        }}
      >
        <div ref={content} className="flow-root">
          {children}
        </div>
      </div>
      {isTall && (
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={toggle}
          className="touch-target mt-1 font-medium print:hidden text-accent underline-offset-2 hover:underline"
        >
          {isOpen ? 'Show less' : 'Show all'}
        </button>
      )}
    </>
  )
}
