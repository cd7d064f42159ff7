import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { preloadScreen } from './app/routes.tsx'
import { WebApp } from './app/web-app.tsx'
import { hasStoredSession } from './features/identity/session-store.ts'
import { followTheme } from './features/preferences/theme.ts'
import './ui/base.css'

followTheme()
if (hasStoredSession()) preloadScreen(location.pathname)

const root = document.querySelector('#root')
if (root === null) throw new Error('The page has no #root element for the application.')
createRoot(root).render(
  <StrictMode>
    <WebApp />
  </StrictMode>,
)
