import type { Message } from '@yonder/contract/message'
import type { ResultPart } from '@yonder/contract/tool-call'
import { useEffect, useRef, useState, type CSSProperties, type RefObject } from 'react'
import { useSWRConfig } from 'swr'
import useSWRImmutable from 'swr/immutable'
import { useApi } from '../../../lib/api/api-provider.tsx'
import { Button } from '../../../ui/button/button.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { Skeleton } from '../../../ui/states/progress.tsx'

type ImagePart = Extract<ResultPart, { type: 'image' }>

export interface ResultImagesProps {
  readonly result: Message
  /** The title of the tool, which names its images. */
  readonly title: string
}

/** The images of a result, which are shown also while the details of the call are closed. */
export function ResultImages({ result, title }: ResultImagesProps) {
  const parts: readonly ResultPart[] = result.outcome?.parts ?? []
  const images = parts.filter((part) => part.type === 'image')
  if (images.length === 0) return null
  return (
    <div className="flex flex-col items-start gap-2 px-3 pt-1 pb-3">
      {images.map((part, index) => (
        <ResultImage
          key={part.file}
          part={part}
          label={
            images.length === 1
              ? `Image from ${title}`
              : `Image ${index + 1} of ${images.length} from ${title}`
          }
          path={`/api/files/${encodeURIComponent(part.file)}`}
        />
      ))}
    </div>
  )
}

interface ResultImageProps {
  readonly part: ImagePart
  readonly label: string
  readonly path: string
}

/** An image of a result. Its space is reserved, and it is loaded shortly before it is scrolled into view. */
function ResultImage({ part, label, path }: ResultImageProps) {
  const place = useRef<HTMLDivElement>(null)
  const isNear = useIsNear(place)
  const style = placeStyle(part)
  return (
    <div
      ref={place}
      style={style}
      className={classNames(
        'max-h-112 max-w-full',
        // Until an image of unknown size is loaded, its place has the size of a placeholder.
        style === undefined && 'not-has-[img,button]:h-40 not-has-[img,button]:w-64',
        // The message of a failure needs more room than a small image.
        'has-[button]:aspect-auto! has-[button]:w-auto!',
      )}
    >
      {isNear ? <LoadedImage label={label} path={path} /> : <Skeleton />}
    </div>
  )
}

const imageUrls = /^data:image\/(png|jpeg|gif|webp);base64,/

/** Loads an image once, since it never changes, from Yonder's own server. */
function LoadedImage({ label, path }: { readonly label: string; readonly path: string }) {
  const { readFile } = useApi()
  const {
    data: image,
    error,
    mutate,
    isValidating,
  } = useSWRImmutable<string | undefined, Error>(path, async () => toDataUrl(await readFile(path)))
  const { cache } = useSWRConfig()
  // Images must not fill the memory. The browser stores none, because others may use it after a sign-out.
  useEffect(() => () => cache.delete(path), [cache, path])
  const [isBroken, setBroken] = useState(false)
  const retry = () => {
    setBroken(false)
    void mutate()
  }
  if (image === undefined && error !== undefined)
    return <Failure text={`${label} could not be loaded.`} isBusy={isValidating} onRetry={retry} />
  if (image === undefined) return <Skeleton />
  if (isBroken || !imageUrls.test(image))
    return <Failure text={`${label} is damaged and cannot be shown.`} isBusy={isValidating} onRetry={retry} />
  return (
    <img
      src={image}
      alt={label}
      className="block max-h-112 max-w-full rounded-control outline -outline-offset-1 outline-line [[style]>&]:size-full [[style]>&]:object-contain"
      onError={() => setBroken(true)}
    />
  )
}

async function toDataUrl(file: Blob | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined
  const reader = new FileReader()
  return new Promise((resolve, reject) => {
    reader.addEventListener('load', () => resolve(reader.result as string))
    reader.addEventListener('error', () => reject(reader.error ?? new Error('the file cannot be read')))
    reader.readAsDataURL(file)
  })
}

interface FailureProps {
  readonly text: string
  readonly isBusy: boolean
  readonly onRetry: () => void
}

function Failure({ text, isBusy, onRetry }: FailureProps) {
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
      <p className="text-sm text-muted wrap-anywhere">{text}</p>
      <Button size="small" busy={isBusy} onClick={onRetry}>
        Try again
      </Button>
    </div>
  )
}

/** Returns a style that reserves the space of an image whose size is known, so that nothing moves when it is loaded. */
function placeStyle({ width, height }: ImagePart): CSSProperties | undefined {
  if (width === undefined || height === undefined) return undefined
  // 28rem is the maximum height.
  return { width: `min(100%, ${width}px, ${(28 * width) / height}rem)`, aspectRatio: `${width} / ${height}` }
}

/** Whether an element is, or was, near the visible part of the page. */
function useIsNear(element: RefObject<HTMLElement | null>): boolean {
  const [isNear, setNear] = useState(false)
  useEffect(() => {
    const { current } = element
    if (current === null || isNear) return undefined
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setNear(true)
      },
      { rootMargin: '800px' },
    )
    observer.observe(current)
    return () => observer.disconnect()
  }, [element, isNear])
  return isNear
}
