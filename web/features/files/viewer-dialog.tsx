import { lazy, Suspense } from 'react'
import type { PictureViewerProps } from './picture-viewer.tsx'

// The page stays usable without its code, which may fail to load: the pictures are on the page.
const Viewer = lazy(() =>
  import('./picture-viewer.tsx').then(
    (part) => ({ default: part.PictureViewer }),
    () => ({ default: () => null }),
  ),
)

/** Shows pictures over the page; its code is loaded when it is opened. */
export function PictureViewer(props: PictureViewerProps) {
  return (
    <Suspense>
      <Viewer {...props} />
    </Suspense>
  )
}
