import { createContext, useContext } from 'react'

/** What a control takes from the field it stands in, so that its label, hint and error belong to it. */
export interface FieldIds {
  readonly id?: string
  readonly 'aria-describedby'?: string | undefined
  readonly 'aria-invalid'?: true | undefined
  readonly 'aria-required'?: true | undefined
}

export const FieldContext = createContext<FieldIds>({})

export function useField(): FieldIds {
  return useContext(FieldContext)
}
