import { Spinner } from './spinner.tsx'

/** Says that something is on its way, in the middle of the place it will take. */
export function LoadingState({ children }: { readonly children: string }) {
  return (
    <output className="flex items-center justify-center gap-2.5 px-6 py-12 text-sm text-muted">
      <Spinner />
      {children}
    </output>
  )
}
