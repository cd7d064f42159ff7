import katex from 'katex'
import 'katex/dist/katex.min.css'
import { memo, useLayoutEffect, useRef } from 'react'

/** Characters beyond which a formula stands as it was written. */
const lengthLimit = 2000

const options = {
  // What a formula cannot say throws, and is shown as it was written; errors never become styles of their own.
  throwOnError: true,
  strict: 'ignore',
  // No addresses, no attributes.
  trust: false,
  // Macros that grow, and sizes in em.
  maxExpand: 200,
  maxSize: 10,
} as const

export interface FormulaProps {
  readonly tex: string
  /** Stands on lines of its own. */
  readonly display: boolean
}

/** A formula, made node by node: neither HTML text nor style attributes are made, which the page's policy would refuse. */
export const Formula = memo(function Formula({ tex, display }: FormulaProps) {
  const box = useRef<HTMLSpanElement>(null)
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return
    try {
      if (tex.length > lengthLimit) throw new RangeError('The formula is too long.')
      katex.render(tex, element, { ...options, displayMode: display, macros: {} })
    } catch {
      element.replaceChildren(document.createTextNode(tex))
    }
  }, [tex, display])
  if (!display) return <span ref={box} dir="ltr" className="markdown-inline-formula" />
  // A wide formula scrolls by itself, with the keyboard too.
  // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
  return <span ref={box} dir="ltr" className="markdown-formula" tabIndex={0} />
})
