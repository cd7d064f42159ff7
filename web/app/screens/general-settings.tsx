import { useIdentity } from '../../features/identity/use-identity.ts'
import { GeneralSection } from '../../features/preferences/general-section.tsx'
import { OwnShares } from '../../features/sharing/own-shares.tsx'

/** The General section of settings, with the links that the user has shared. */
export function GeneralSettings() {
  const { identity } = useIdentity()
  return (
    <GeneralSection accountUrl={identity.accountUrl}>
      <OwnShares />
    </GeneralSection>
  )
}
