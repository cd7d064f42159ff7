import { Spinner } from '../../ui/states/progress.tsx'

/** Shown until the page knows which screen to show (§2.9). */
export function CentredSpinner() {
  return (
    <div className="flex flex-1 items-center justify-center p-8">
      <Spinner size={24} label="Loading" />
    </div>
  )
}
