import { ShieldAlert, ShieldCheck } from 'lucide-react'

/** What holds for all tools of a connector: the badge of §2.72, or that nothing asks. */
export function ConsentBadge({ everyTool }: { readonly everyTool: boolean }) {
  const Icon = everyTool ? ShieldAlert : ShieldCheck
  return (
    <p
      className={`inline-flex w-fit items-center gap-1.5 rounded-full border border-line px-2.5 py-1 text-xs font-medium ${everyTool ? 'text-warning' : 'text-muted'}`}
    >
      <Icon size={14} aria-hidden />
      {everyTool ? 'Every tool runs without asking' : 'All tools need confirmation'}
    </p>
  )
}
