import { Spinner } from '../../ui/states/progress.tsx'

/** Shown while the sign-in state or the code of a screen is loading. */
export function CentredSpinner() {
  return (
    <div className="flex flex-1 items-center justify-center p-8">
      <Spinner size={24} label="Loading" />
    </div>
  )
}
