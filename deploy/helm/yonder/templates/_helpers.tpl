{{- define "yonder.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "yonder.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "yonder.labels" -}}
{{ include "yonder.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "yonder.secret" -}}
{{ .Values.existingSecret | default (include "yonder.name" .) }}
{{- end }}

{{- define "yonder.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "yonder.scheme" -}}
{{ ternary "HTTPS" "HTTP" (ne .Values.tls.secret "") }}
{{- end }}

{{- define "yonder.podSecurity" -}}
runAsNonRoot: true
{{- if not .Values.arbitraryUser }}
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
fsGroupChangePolicy: OnRootMismatch
{{- end }}
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "yonder.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{/* The settings, of the server and of the backup. */}}
{{- define "yonder.environment" -}}
env:
  - name: PUBLIC_URL
    value: {{ trimSuffix "/" .Values.publicUrl | quote }}
  {{- range $name, $value := .Values.settings }}
  - name: {{ $name }}
    value: {{ toString $value | quote }}
  {{- end }}
  {{- if .Values.tls.secret }}
  - name: TLS_CERT
    value: /tls/tls.crt
  - name: TLS_KEY
    value: /tls/tls.key
  {{- end }}
  {{- with .Values.extraEnv }}{{ toYaml . | nindent 2 }}{{ end }}
  {{- if eq .Values.database "postgres" }}
  # Required here, so that a Secret without them does not start SQLite in each pod.
  {{- range $name := list "DATABASE_URL" "SECRET_KEY" }}
  - name: {{ $name }}
    valueFrom:
      secretKeyRef:
        name: {{ include "yonder.secret" $ }}
        key: {{ $name }}
  {{- end }}
  {{- end }}
{{- if or .Values.secret .Values.existingSecret .Values.extraEnvFrom }}
envFrom:
  {{- if or .Values.secret .Values.existingSecret }}
  - secretRef:
      name: {{ include "yonder.secret" . }}
  {{- end }}
  {{- with .Values.extraEnvFrom }}{{ toYaml . | nindent 2 }}{{ end }}
{{- end }}
{{- end }}

{{/* A volume that outlives the release: the context, its name, and its values. */}}
{{- define "yonder.claim" -}}
{{- $values := index . 2 -}}
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: {{ index . 1 }}
  labels: {{- include "yonder.labels" (index . 0) | nindent 4 }}
  annotations:
    helm.sh/resource-policy: keep
spec:
  accessModes: [ReadWriteOnce]
  {{- with $values.storageClass }}
  storageClassName: {{ . }}
  {{- end }}
  resources:
    requests:
      storage: {{ $values.size }}
{{- end }}

{{/* "true" when there can be more than one pod. */}}
{{- define "yonder.several" -}}
{{ or .Values.autoscaling.enabled (gt (int .Values.replicas) 1) }}
{{- end }}

{{/* Fails with a message when values are wrong or do not fit together. */}}
{{- define "yonder.check" -}}
{{- with .Values }}
{{- if not (regexMatch "^https?://[^/]+/?$" .publicUrl) }}
{{- fail "Set publicUrl to the address that users open, such as https://chat.example.com, without a path." }}
{{- end }}
{{- if and (eq (include "yonder.several" $) "true") (ne .database "postgres") }}
{{- fail "More than one pod needs PostgreSQL, because SQLite allows one process. Set database to postgres, or replicas to 1 without autoscaling." }}
{{- end }}
{{- if and (eq .database "postgres") (not .existingSecret) }}
{{- if not (and (hasKey .secret "DATABASE_URL") (hasKey .secret "SECRET_KEY")) }}
{{- fail "With PostgreSQL, set secret.DATABASE_URL and secret.SECRET_KEY, or existingSecret to a Secret that has both." }}
{{- end }}
{{- end }}
{{- if and (ne .database "postgres") (hasKey .secret "DATABASE_URL") }}
{{- fail "secret.DATABASE_URL is set, so set database to postgres." }}
{{- end }}
{{- if and .serviceMonitor.enabled (not .existingSecret) (not (hasKey .secret "METRICS_TOKEN")) }}
{{- fail "The ServiceMonitor needs secret.METRICS_TOKEN, because /metrics is closed to other machines without it." }}
{{- end }}
{{- if and .tls.secret (not (hasPrefix "https:" .publicUrl)) }}
{{- fail "tls.secret is set, so publicUrl must begin with https://." }}
{{- end }}
{{- range $name := list "PORT" "HOST" "PUBLIC_URL" "DATA_DIR" "TLS" "TLS_CERT" "TLS_KEY" "DATABASE_URL" "SECRET_KEY" "METRICS_TOKEN" }}
{{- if hasKey $.Values.settings $name }}
{{- fail (printf "settings.%s is set by the chart, or belongs under secret." $name) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
