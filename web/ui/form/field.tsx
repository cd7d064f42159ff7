import { createContext, useContext, useId, useMemo, type ReactNode } from 'react'

/** The attributes that associate a control with the label, hint and error of its field. */
export interface FieldAttributes {
  readonly id?: string
  readonly 'aria-describedby'?: string | undefined
  readonly 'aria-invalid'?: true | undefined
  readonly 'aria-required'?: true | undefined
}

const FieldContext = createContext<FieldAttributes>({})

/** Returns the attributes for the control of the nearest `Field`, or none outside of a `Field`. */
export function useField(): FieldAttributes {
  return useContext(FieldContext)
}

export interface FieldProps {
  readonly label: string
  /** Marks the label with an asterisk, and the control with `aria-required`. */
  readonly required?: boolean
  readonly hint?: ReactNode
  readonly error?: string | undefined
  /** A single control, which calls `useField`. */
  readonly children: ReactNode
}

/** A control with its label above it and its hint and error below. */
export function Field({ label, required = false, hint, error, children }: FieldProps) {
  const id = useId()
  const described = [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`].filter(Boolean)
  const description = described.length === 0 ? undefined : described.join(' ')
  const attributes = useMemo(
    (): FieldAttributes => ({
      id,
      'aria-describedby': description,
      'aria-invalid': error === undefined ? undefined : true,
      'aria-required': required || undefined,
    }),
    [id, description, error, required],
  )
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        {required ? `${label} *` : label}
      </label>
      <FieldContext value={attributes}>{children}</FieldContext>
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-xs text-muted">
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p id={`${id}-error`} className="text-xs text-danger">
          {error}
        </p>
      )}
    </div>
  )
}
