import type { ClientSettings } from '@yonder/contract/identity'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createIdentityClient, type IdentityClient } from '../../features/identity/identity-client.ts'
import * as ownAccount from '../../features/identity/own-account.ts'
import { SignInScreen } from '../../features/identity/sign-in-screen.tsx'
import { TokenFailureNotice } from '../../features/identity/token-failure-notice.tsx'
import { IdentityContext, useIdentity } from '../../features/identity/use-identity.ts'
import './page.css'

declare global {
  interface Window {
    /** For tests that request tokens directly. */
    identity: IdentityClient
    ownAccount: typeof ownAccount
  }
}

/** A page with only the sign-in, for browser tests with a hostile provider, a lost network or many tabs. */
function Page({ settings }: { readonly settings: ClientSettings }) {
  const { state, identity } = useIdentity()
  const { pathname, search } = location
  switch (state.status) {
    case 'loading':
      return <p>Loading</p>
    case 'unauthenticated':
    case 'error':
      return <SignInScreen settings={settings} returnTo={pathname + search} />
    case 'authenticated':
      return (
        <main>
          <TokenFailureNotice />
          <h1>Signed in as {state.user.name}</h1>
          <button type="button" onClick={() => void identity.signOut()}>
            Sign out
          </button>
        </main>
      )
  }
}

const settings = (await (await fetch('/api/settings')).json()) as ClientSettings
document.documentElement.classList.toggle('dark', matchMedia('(prefers-color-scheme: dark)').matches)
window.identity = createIdentityClient(settings.identity)
window.ownAccount = ownAccount
void window.identity.start()
const root = document.getElementById('root')
if (root === null) throw new Error('The page has no #root element.')
createRoot(root).render(
  <StrictMode>
    <IdentityContext value={window.identity}>
      <Page settings={settings} />
    </IdentityContext>
  </StrictMode>,
)
