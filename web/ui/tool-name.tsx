import { InertText } from './inert-text.tsx'

/** The name of a tool as its server has it. A space at an end is shown by its number, like an invisible character (§13.3). */
export function ToolName({ children }: { readonly children: string }) {
  const name = children.trim()
  const start = children.indexOf(name)
  return (
    <>
      {start > 0 && <Space />}
      <InertText>{name}</InertText>
      {start + name.length < children.length && <Space />}
    </>
  )
}

function Space() {
  return <span className="hidden-characters">U+0020</span>
}
