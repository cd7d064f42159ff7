/**
 * Asks at once for the code of the screen that a signed-in person will see at this address, instead of one file after
 * the other once it is known that they are signed in.
 */
export function preloadScreens(pathname: string): void {
  const screens = [import('./layout/signed-in.tsx'), importScreen(pathname)]
  // Whoever needs it asks again, and then shows the failure.
  for (const screen of screens) screen?.catch(() => undefined)
}

function importScreen(pathname: string): Promise<unknown> | undefined {
  if (pathname === '/') return import('./screens/home-screen.tsx')
  if (/^\/chats?\//.test(pathname)) return import('./screens/chat-screen.tsx')
  if (pathname.startsWith('/settings')) return import('./screens/settings-screen.tsx')
  if (pathname.startsWith('/callback')) return import('./screens/callback-screen.tsx')
  return undefined
}
