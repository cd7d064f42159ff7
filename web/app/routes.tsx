import { lazy, type ComponentType } from 'react'
import { matchPath } from 'react-router'
import type { IdentityUser } from '../features/identity/session-store.ts'

/** A component whose code is loaded when it is first rendered, or before by `load`. */
function lazyWithLoad<Props>(load: () => Promise<ComponentType<Props>>) {
  return { load, Screen: lazy(async () => ({ default: await load() })) }
}

const home = lazyWithLoad(async () => (await import('./screens/home-screen.tsx')).HomeScreen)
const chat = lazyWithLoad(async () => (await import('./screens/chat-screen.tsx')).ChatScreen)
const project = lazyWithLoad<object>(async () => (await import('./screens/project-screen.tsx')).ProjectScreen)
const settings = lazyWithLoad<object>(
  async () => (await import('./screens/settings-screen.tsx')).SettingsScreen,
)
const callback = lazyWithLoad<object>(
  async () => (await import('./screens/callback-screen.tsx')).CallbackScreen,
)
const inbox = lazyWithLoad<object>(async () => (await import('./screens/inbox-screen.tsx')).InboxScreen)
const archived = lazyWithLoad<object>(
  async () => (await import('./screens/set-aside-screens.tsx')).ArchivedScreen,
)
const deleted = lazyWithLoad<object>(
  async () => (await import('./screens/set-aside-screens.tsx')).DeletedScreen,
)
const share = lazyWithLoad(async () => (await import('./screens/share-screen.tsx')).ShareScreen)
const terms = lazyWithLoad(async () => (await import('./screens/terms-screen.tsx')).TermsScreen)
const privacy = lazyWithLoad(async () => (await import('./screens/privacy-screen.tsx')).PrivacyScreen)
const signedIn = lazyWithLoad(async () => (await import('./layout/signed-in.tsx')).SignedIn)

interface UserScreen {
  readonly load: () => Promise<unknown>
  readonly Screen: ComponentType<{ readonly user: IdentityUser }>
}

/** The screens that everyone sees, signed in or not, by their paths. */
export const publicScreens: Readonly<Record<string, ComponentType>> = {
  '/share/:id': share.Screen,
  '/terms': terms.Screen,
  '/privacy': privacy.Screen,
}

/** The screens of a signed-in user. Signed out, the sign-in screen is shown at the same paths. */
export const userScreens: Readonly<Record<string, UserScreen>> = {
  '/': home,
  '/chat/:id': chat,
  '/chats/:id': chat,
  '/project/:id': project,
  '/inbox': inbox,
  '/archived': archived,
  '/deleted': deleted,
  '/settings/:section?': settings,
  '/callback/:service?': callback,
}

/** Wraps every screen of a signed-in user. */
export const SignedIn = signedIn.Screen

/**
 * Starts to load the code of a signed-in user's screen and its layout, so that the files are loaded in parallel.
 */
export function preloadScreen(pathname: string): void {
  const path = Object.keys(userScreens).find((pattern) => matchPath(pattern, pathname) !== null)
  const screen = path === undefined ? undefined : userScreens[path]
  // A failure is ignored here, because rendering the screen loads the code again and shows the error.
  for (const load of [signedIn.load, screen?.load]) load?.().catch(() => undefined)
}
