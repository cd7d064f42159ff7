import { useId, type ComponentProps, type ReactNode } from 'react'

export interface CheckboxProps extends Omit<ComponentProps<'input'>, 'type' | 'className' | 'style'> {
  readonly label: string
  readonly hint?: ReactNode
}

export function Checkbox({ label, hint, ...rest }: CheckboxProps) {
  const id = useId()
  return (
    <div className="flex items-start gap-2.5 has-disabled:opacity-60">
      <input
        id={id}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        {...rest}
        type="checkbox"
        className="mt-0.5 size-4 shrink-0 pointer-coarse:mt-2.5 pointer-coarse:size-5"
      />
      <div className="flex flex-col gap-0.5">
        <label htmlFor={id} className="text-sm font-medium pointer-coarse:py-2.5">
          {label}
        </label>
        {hint !== undefined && (
          <p id={`${id}-hint`} className="text-xs text-muted">
            {hint}
          </p>
        )}
      </div>
    </div>
  )
}
