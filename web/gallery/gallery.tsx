import { useState } from 'react'
import { MemoryRouter } from 'react-router'
import { Switch } from '../ui/form/switch.tsx'
import { ToastRegion } from '../ui/toast/toast-region.tsx'
import { MarkdownSpecimens, StateSpecimens } from './content-specimens.tsx'
import { ButtonSpecimens, FieldSpecimens, SettingsSpecimens } from './control-specimens.tsx'
import { DialogSpecimens, MenuSpecimens } from './layer-specimens.tsx'
import { sectionId } from './section.tsx'
import { TokenSpecimens } from './token-specimens.tsx'

const sections = [
  'Tokens',
  'Buttons',
  'Fields',
  'Settings',
  'Menus and tooltips',
  'Dialogs and toasts',
  'States',
  'Markdown',
]

/** Shows the UI primitives in their states, side by side, to look at and try. */
export function Gallery() {
  const [isDark, setDark] = useState(() => document.documentElement.classList.contains('dark'))
  const choose = (dark: boolean) => {
    document.documentElement.classList.toggle('dark', dark)
    setDark(dark)
  }
  return (
    <MemoryRouter>
      <div className="gallery">
        <header>
          <div>
            <h1>Design system</h1>
            <p>The primitives in their states. Served by npm run dev only.</p>
          </div>
          <div className="gallery-theme">
            Dark theme
            <Switch label="Dark theme" checked={isDark} onChange={choose} />
          </div>
        </header>
        <nav aria-label="Sections" className="gallery-contents">
          {sections.map((title) => (
            <a key={title} href={`#${sectionId(title)}`}>
              {title}
            </a>
          ))}
        </nav>
        <main>
          <TokenSpecimens />
          <ButtonSpecimens />
          <FieldSpecimens />
          <SettingsSpecimens />
          <MenuSpecimens />
          <DialogSpecimens />
          <StateSpecimens />
          <MarkdownSpecimens />
        </main>
      </div>
      <ToastRegion />
    </MemoryRouter>
  )
}
