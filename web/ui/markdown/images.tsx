import { Image as ImageIcon, ImageOff } from 'lucide-react'
import { createContext, use, useMemo, useState, type ReactNode } from 'react'
import { browserStorage } from '../../lib/browser-storage.ts'
import { Button } from '../button/button.tsx'

/** The sites whose images are loaded without asking the user. */
interface ImageSites {
  readonly has: (site: string) => boolean
  /** Absent where the choice cannot be stored, for example for a signed-out visitor. */
  readonly allow?: (site: string) => void
}

const ImageSitesContext = createContext<ImageSites>({ has: () => false })

/** Stores the sites whose images are always shown, under a storage key that belongs to the user. */
export function ImageSitesProvider({
  storageKey,
  children,
}: {
  readonly storageKey: string
  readonly children: ReactNode
}) {
  const [sites, setSites] = useState(() => readSites(storageKey))
  const value = useMemo(
    (): ImageSites => ({
      has: (site) => sites.has(site),
      allow: (site) => {
        const next = new Set([...readSites(storageKey), site])
        browserStorage.write(storageKey, JSON.stringify([...next]))
        setSites(next)
      },
    }),
    [sites, storageKey],
  )
  return <ImageSitesContext value={value}>{children}</ImageSitesContext>
}

function readSites(storageKey: string): ReadonlySet<string> {
  const stored = browserStorage.readJson(storageKey)
  return new Set(Array.isArray(stored) ? stored.filter((site) => typeof site === 'string') : [])
}

export interface MarkdownImageProps {
  readonly src: string
  readonly alt: string
}

/**
 * An image in an untrusted text. Loading it would reveal to its site that this user reads the text, so nothing is
 * requested before the user clicks or has allowed that site. The address is not changed.
 */
export function MarkdownImage({ src, alt }: MarkdownImageProps) {
  const sites = use(ImageSitesContext)
  const [shown, setShown] = useState(false)
  const [hasFailed, setFailed] = useState(false)
  const address = src === '' ? null : URL.parse(src, location.href)
  if (address === null || !/^https?:$/.test(address.protocol))
    return <Placeholder isBroken>{alt === '' ? 'Image with an invalid address' : alt}</Placeholder>
  const site = <span className="text-muted">from {address.host}</span>
  if (hasFailed)
    return (
      <Placeholder
        isBroken
        actions={
          <Button size="small" onClick={() => setFailed(false)}>
            Try again
          </Button>
        }
      >
        {alt === '' ? 'The image' : alt} could not be loaded {site}
      </Placeholder>
    )
  if (shown || sites.has(address.host))
    return (
      <img
        src={address.href}
        alt={alt}
        referrerPolicy="no-referrer"
        loading="lazy"
        onError={() => setFailed(true)}
      />
    )
  const { allow } = sites
  return (
    <Placeholder
      address={address.href}
      actions={
        <>
          <Button size="small" onClick={() => setShown(true)}>
            Show image
          </Button>
          {allow !== undefined && (
            <Button size="small" look="plain" onClick={() => allow(address.host)}>
              Always show from this site
            </Button>
          )}
        </>
      }
    >
      {alt === '' ? 'Image' : alt} {site}
    </Placeholder>
  )
}

interface PlaceholderProps {
  readonly isBroken?: boolean
  readonly address?: string
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A box in place of an image that is not shown. */
function Placeholder({ isBroken = false, address, actions, children }: PlaceholderProps) {
  const Icon = isBroken ? ImageOff : ImageIcon
  return (
    <span
      data-src={address}
      className="markdown-image inline-flex max-w-full flex-wrap items-center gap-x-3 gap-y-2 rounded-card border border-line-strong px-3.5 py-2.5 align-middle text-sm leading-[1.65]"
    >
      <Icon size={18} aria-hidden />
      <span>{children}</span>
      {actions !== undefined && <span className="inline-flex flex-wrap gap-2">{actions}</span>}
    </span>
  )
}
