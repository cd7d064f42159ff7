import { GeneralSection } from '../../features/preferences/general-section.tsx'
import { OwnShares } from '../../features/sharing/own-shares.tsx'

/** The General section of settings, with the links that the user has shared. */
export function GeneralScreen() {
  return (
    <GeneralSection>
      <OwnShares />
    </GeneralSection>
  )
}
