import type { TestResult } from '@yonder/contract/notification'

/** What became of a test, which screen readers read when it is known. */
export function TestOutcome({ outcome }: { readonly outcome: TestResult | undefined }) {
  return (
    <output className="block text-sm">
      {outcome !== undefined && (
        <p className={outcome.sent ? 'text-success' : 'text-danger'}>{outcome.message}</p>
      )}
    </output>
  )
}
