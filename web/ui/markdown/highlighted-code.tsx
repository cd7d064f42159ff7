import { toJsxRuntime } from 'hast-util-to-jsx-runtime'
import { common, createLowlight } from 'lowlight'
import { useMemo } from 'react'
import { Fragment, jsx, jsxs } from 'react/jsx-runtime'

const lowlight = createLowlight(common)

/** Highlighted code as React elements, since the Content Security Policy forbids HTML strings. */
export function HighlightedCode({ language, code }: { readonly language: string; readonly code: string }) {
  return useMemo(() => {
    const name = language.toLowerCase()
    return lowlight.registered(name)
      ? toJsxRuntime(lowlight.highlight(name, code), { Fragment, jsx, jsxs })
      : code
  }, [language, code])
}
