import { lazy, type ComponentType, type LazyExoticComponent } from 'react'
import { matchPath } from 'react-router'
import type { UserScreenProps } from './signed-in-user.ts'

export interface AppRoute<Props> {
  readonly paths: readonly string[]
  /** The title of the tab. Without one, the screen sets it, or the tab has the title of `WebApp`. */
  readonly title?: string
  readonly load: () => Promise<ComponentType<Props>>
  readonly Screen: LazyExoticComponent<ComponentType<Props>>
}

function defineRoute<Props>(route: Omit<AppRoute<Props>, 'Screen'>): AppRoute<Props> {
  return { ...route, Screen: lazy(async () => ({ default: await route.load() })) }
}

/** The screens that everyone sees, signed in or not. */
export const publicRoutes: readonly AppRoute<object>[] = [
  defineRoute({
    paths: ['/share/:id'],
    title: 'Shared chat',
    load: async () => (await import('./screens/share-screen.tsx')).ShareScreen,
  }),
  defineRoute({
    paths: ['/terms'],
    title: 'Terms of Service',
    load: async () => (await import('./screens/terms-screen.tsx')).TermsScreen,
  }),
  defineRoute({
    paths: ['/privacy'],
    title: 'Privacy Policy',
    load: async () => (await import('./screens/privacy-screen.tsx')).PrivacyScreen,
  }),
]

/**
 * The screens of a signed-in user. Signed out, the sign-in screen is shown at the same addresses.
 */
export const userRoutes: readonly AppRoute<UserScreenProps>[] = [
  defineRoute({
    paths: ['/'],
    load: async () => (await import('./screens/home-screen.tsx')).HomeScreen,
  }),
  defineRoute({
    paths: ['/chat/:id', '/chats/:id'],
    load: async () => (await import('./screens/chat-screen.tsx')).ChatScreen,
  }),
  defineRoute({
    paths: ['/settings/:section?'],
    load: async () => (await import('./screens/settings-screen.tsx')).SettingsScreen,
  }),
  defineRoute({
    paths: ['/callback/:service?'],
    load: async () => (await import('./screens/callback-screen.tsx')).CallbackScreen,
  }),
]

const loadSignedIn = async () => (await import('./layout/signed-in.tsx')).SignedIn

/** Wraps every screen of a signed-in user. */
export const SignedIn = lazy(async () => ({ default: await loadSignedIn() }))

/**
 * Starts to load the code of a signed-in user's screen and its layout, so that the files are loaded in parallel.
 */
export function preloadScreen(pathname: string): void {
  const route = userRoutes.find(({ paths }) => paths.some((path) => matchPath(path, pathname) !== null))
  // A failure is ignored here, because rendering the screen loads the code again and shows the error.
  for (const load of [loadSignedIn, route?.load]) load?.().catch(() => undefined)
}
