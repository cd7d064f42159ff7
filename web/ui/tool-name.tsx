import { formatCodePoints, InertText } from './inert-text.tsx'

/**
 * The name of a tool as its server has it. Spaces at its ends are shown by their numbers, like invisible characters.
 */
export function ToolName({ children }: { readonly children: string }) {
  const name = children.trim()
  const start = children.indexOf(name)
  const end = start + name.length
  return (
    <>
      {start > 0 && <Spaces>{children.slice(0, start)}</Spaces>}
      <InertText>{name}</InertText>
      {end < children.length && <Spaces>{children.slice(end)}</Spaces>}
    </>
  )
}

function Spaces({ children }: { readonly children: string }) {
  return <span className="hidden-characters">{formatCodePoints(children)}</span>
}
