import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { WebApp } from './app/web-app.tsx'
import { themeStore } from './features/preferences/theme-store.ts'
import './ui/base.css'

themeStore.follow()

const root = document.querySelector('#root')
if (root === null) throw new Error('The page has no place for the application.')
createRoot(root).render(
  <StrictMode>
    <WebApp />
  </StrictMode>,
)
