import { isPicture, missingFilePrefix } from '@yonder/contract/lib/file-limits'
import { use, useEffect, useRef, useState, type CSSProperties, type RefObject } from 'react'
import { useStoredFile } from '../../data/files.ts'
import { isNotFound } from '../../lib/api/api-error.ts'
import { LoadAllContext, unloadedAttribute } from '../../lib/draw-all.ts'
import { Button } from '../../ui/button/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Skeleton } from '../../ui/states/progress.tsx'

export interface StoredPictureProps {
  /** The id of the file. */
  readonly id: string
  /** What it shows, or where it is from. */
  readonly label: string
  /** Its size in pixels, if it is known. */
  readonly width?: number | undefined
  readonly height?: number | undefined
  /** Its maximum height, in rem. */
  readonly maxRem: number
  /** Opens it larger. */
  readonly onOpen: () => void
}

/** A stored picture. Its space is reserved, and it is loaded shortly before it is scrolled into view. */
export function StoredPicture({ id, label, width, height, maxRem, onOpen }: StoredPictureProps) {
  const place = useRef<HTMLDivElement>(null)
  const isNear = useIsNear(place)
  const size = placeStyle(width, height, maxRem)
  return (
    <div
      ref={place}
      style={{ maxHeight: `${maxRem}rem`, ...size }}
      className={classNames(
        'max-w-full',
        // Until a picture of unknown size is loaded, its place has the size of a placeholder.
        size === undefined && 'not-has-[img,p]:h-40 not-has-[img,p]:w-64',
        // The message of a failure needs more room than a small picture.
        'has-[p]:aspect-auto! has-[p]:w-auto!',
      )}
    >
      {isNear ? (
        <LoadedPicture id={id} label={label} isSized={size !== undefined} onOpen={onOpen} />
      ) : (
        <UnloadedPicture />
      )}
    </div>
  )
}

function UnloadedPicture() {
  return (
    <div className="size-full" {...{ [unloadedAttribute]: '' }}>
      <Skeleton />
    </div>
  )
}

interface LoadedPictureProps extends Pick<StoredPictureProps, 'id' | 'label' | 'onOpen'> {
  /** Whether the place around it has its size. */
  readonly isSized: boolean
}

function LoadedPicture({ id, label, isSized, onOpen }: LoadedPictureProps) {
  const isMissing = id.startsWith(missingFilePrefix)
  const { file, error, isLoading, retry } = useStoredFile(id, !isMissing)
  const [broken, setBroken] = useState<string>()
  const isBroken = file !== undefined && (broken === file.url || !isPicture(file.type))
  if (isMissing) return <p className="text-sm text-muted">{label}: not imported</p>
  if (isNotFound(error)) return <p className="text-sm text-muted">{label}: deleted</p>
  if (error !== undefined)
    return <Failure text={`${label} could not be loaded.`} isBusy={isLoading} onRetry={retry} />
  if (isBroken)
    return <Failure text={`${label} is damaged and cannot be shown.`} isBusy={isLoading} onRetry={retry} />
  if (file === undefined) return <UnloadedPicture />
  return (
    <button
      type="button"
      aria-haspopup="dialog"
      data-printed
      onClick={onOpen}
      className={classNames('block max-h-full max-w-full rounded-control', isSized && 'size-full')}
    >
      <img
        src={file.url}
        alt={label}
        className={classNames(
          'block max-h-full max-w-full rounded-control outline -outline-offset-1 outline-line',
          isSized && 'size-full object-contain',
        )}
        onError={() => setBroken(file.url)}
      />
    </button>
  )
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

/** Returns a style that reserves the space of a picture whose size is known, so that nothing moves when it is loaded. */
function placeStyle(
  width: number | undefined,
  height: number | undefined,
  maxRem: number,
): CSSProperties | undefined {
  if (width === undefined || height === undefined) return undefined
  return {
    width: `min(100%, ${width}px, ${(maxRem * width) / height}rem)`,
    aspectRatio: `${width} / ${height}`,
  }
}

/** Whether an element is, or was, near the visible part of the page, or a print needed it. */
function useIsNear(element: RefObject<HTMLElement | null>): boolean {
  const [isNear, setNear] = useState(false)
  const isNeeded = use(LoadAllContext)
  if (isNeeded && !isNear) setNear(true)
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
