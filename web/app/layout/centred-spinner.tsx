import { Spinner } from '../../ui/states/progress.tsx'

/** What stands on the page until it is known what belongs there (§2.9). */
export function CentredSpinner() {
  return (
    <div className="flex flex-1 items-center justify-center p-8">
      <Spinner size={24} label="Loading" />
    </div>
  )
}
