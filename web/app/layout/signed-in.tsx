import { useState } from 'react'
import { personalStorage } from '../../features/chat/chat-storage.ts'
import { createApiClient } from '../../lib/api/api-client.ts'
import { ApiProvider } from '../../lib/api/api-provider.tsx'
import { ToastRegion } from '../../ui/toast/toast-region.tsx'
import type { SignedInUser } from '../signed-in-user.ts'
import { SignedInLayout } from './signed-in-layout.tsx'

export interface SignedInProps {
  /** Always the same user while the element is mounted. Another user needs another `key`. */
  readonly user: SignedInUser
  /**
   * Returns an access token of the user with this id. Only the functions `getAccessToken` and `onUnauthorized` of the
   * first rendering are called.
   */
  readonly getAccessToken: (userId: string) => Promise<string | null | undefined>
  /** Signs out in every tab and at the provider, and returns to the origin of the site. */
  readonly onSignOut: () => void
  /**
   * Called when the server refused the token: signs out in this browser and redirects to the root of the site.
   */
  readonly onUnauthorized: (userId: string) => void
  readonly sourceUrl: string
}

/** Wraps the screens of a signed-in user in the user's API client and cache, the layout and the toasts. */
export function SignedIn({ user, getAccessToken, onSignOut, onUnauthorized, sourceUrl }: SignedInProps) {
  // Runs before any screen reads from the storage; running it twice does no harm.
  useState(() => personalStorage.setOwner(user.sub))
  const signOut = () => {
    personalStorage.clearTexts()
    onSignOut()
  }
  // One client until this user signs out, because the chats and the live updates belong to it.
  const [api] = useState(() =>
    createApiClient({
      getAccessToken: () => getAccessToken(user.sub),
      onUnauthorized: () => onUnauthorized(user.sub),
    }),
  )
  return (
    <ApiProvider api={api}>
      <SignedInLayout user={user} sourceUrl={sourceUrl} onSignOut={signOut} />
      <ToastRegion />
    </ApiProvider>
  )
}
