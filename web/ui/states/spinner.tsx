import { LoaderCircle } from 'lucide-react'

/** A turning circle. With a label it announces itself; without one it stands beside words that say the same. */
export function Spinner({ label, size = 16 }: { readonly label?: string; readonly size?: number }) {
  const icon = <LoaderCircle size={size} className="animate-spin motion-reduce:animate-pulse" aria-hidden />
  if (label === undefined) return icon
  return (
    <output className="inline-flex text-muted">
      {icon}
      <span className="sr-only">{label}</span>
    </output>
  )
}
