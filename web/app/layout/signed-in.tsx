import { lazy, useMemo, useState } from 'react'
import { Navigate, Route, Routes } from 'react-router'
import { personalStorage } from '../../features/chat/composer/chat-storage.ts'
import { createApiClient } from '../../lib/api-client.ts'
import { ApiProvider } from '../../lib/swr-config.tsx'
import type { SignedInUser } from './signed-in-user.ts'
import { SignedInLayout } from './signed-in-layout.tsx'

const HomeScreen = lazy(async () => ({ default: (await import('../screens/home-screen.tsx')).HomeScreen }))
const ChatScreen = lazy(async () => ({ default: (await import('../screens/chat-screen.tsx')).ChatScreen }))
const CallbackScreen = lazy(async () => ({
  default: (await import('../screens/callback-screen.tsx')).CallbackScreen,
}))
const SettingsScreen = lazy(async () => ({
  default: (await import('../screens/settings-screen.tsx')).SettingsScreen,
}))

export interface SignedInProps {
  readonly user: SignedInUser
  readonly getAccessToken: () => Promise<string | null | undefined>
  /** Ends the sign-in everywhere and leads to the origin of the site. */
  readonly onSignOut: () => void
  /** Logs out here and leads to the root of the site: the server has refused the token (§2.11). */
  readonly onUnauthorized: () => void
  readonly sourceUrl: string
}

/** Everything that a signed-in person can reach (§2.1-§2.8). Another person gets another one. */
export function SignedIn({ user, getAccessToken, onSignOut, onUnauthorized, sourceUrl }: SignedInProps) {
  // Before any screen reads from it, and without harm when it is done twice.
  useState(() => personalStorage.claim(user.sub))
  const signOut = () => {
    personalStorage.clearTexts()
    onSignOut()
  }
  const api = useMemo(
    () => createApiClient({ getAccessToken, onUnauthorized }),
    [getAccessToken, onUnauthorized],
  )
  return (
    <ApiProvider api={api}>
      <Routes>
        <Route element={<SignedInLayout user={user} sourceUrl={sourceUrl} onSignOut={signOut} />}>
          <Route index element={<HomeScreen userName={user.name} />} />
          <Route path="chat/:id" element={<ChatScreen userId={user.sub} />} />
          <Route path="chats/:id" element={<ChatScreen userId={user.sub} />} />
          <Route path="settings" element={<Navigate to="/settings/general" replace />} />
          <Route path="settings/:section" element={<SettingsScreen />} />
          <Route path="callback/:service?" element={<CallbackScreen />} />
          <Route path="*" element={<Navigate to="/" replace />} />
        </Route>
      </Routes>
    </ApiProvider>
  )
}
