import { toastStore } from './toast-store.ts'

const toast = {
  success: (text: string) => toastStore.add('success', text),
  error: (text: string) => toastStore.add('error', text),
}

/** Shows a short message, top right, for five seconds. */
export function useToast(): typeof toast {
  return toast
}
