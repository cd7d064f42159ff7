import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Gallery } from './gallery.tsx'
import '../ui/base.css'
import './gallery.css'

const root = document.body.appendChild(document.createElement('div'))
createRoot(root).render(
  <StrictMode>
    <Gallery />
  </StrictMode>,
)
