import { useState, type PointerEvent, type RefObject } from 'react'

interface Drag {
  readonly id: string
  /** The id of the row before which the dragged one would be put; null for the end. */
  readonly before: string | null
}

/**
 * Reorders the rows of a list by dragging their grips. The rows have `data-id`. `onMove` is called when a row is dropped.
 */
export function useRowDrag(
  list: RefObject<HTMLElement | null>,
  items: readonly { readonly id: string }[],
  onMove: (id: string, before: string | null) => void,
) {
  const [drag, setDrag] = useState<Drag>()
  const findBefore = (clientY: number): string | null => {
    for (const { id } of items) {
      const box = list.current?.querySelector(`[data-id="${CSS.escape(id)}"]`)?.getBoundingClientRect()
      if (box !== undefined && clientY < box.top + box.height / 2) return id
    }
    return null
  }
  return {
    /** The id of the row above which a line shows where the row goes; null for the end, undefined without a drag. */
    target: drag?.before,
    /** The events of the grip of a row. */
    gripOf: (id: string) => ({
      onPointerDown(event: PointerEvent) {
        if (event.button !== 0) return
        event.preventDefault()
        event.currentTarget.setPointerCapture(event.pointerId)
        setDrag({ id, before: findBefore(event.clientY) })
      },
      onPointerMove({ clientY }: PointerEvent) {
        if (drag?.id === id) setDrag({ id, before: findBefore(clientY) })
      },
      onPointerUp({ clientY }: PointerEvent) {
        if (drag?.id !== id) return
        setDrag(undefined)
        const before = findBefore(clientY)
        if (before !== id) onMove(id, before)
      },
      onPointerCancel: () => setDrag(undefined),
    }),
  }
}

export type GripEvents = ReturnType<ReturnType<typeof useRowDrag>['gripOf']>
