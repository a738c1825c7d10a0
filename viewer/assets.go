package viewer

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"path"
	"time"
)

// dagre lays out drawings; it is the file dist/dagre.min.js of the package
// @dagrejs/dagre 3.1.3 as it is published, and its licence is beside it.
//
//go:embed assets
var assetFiles embed.FS

// serveAsset serves a script, a style or a picture. A browser asks each time whether
// it has changed.
func serveAsset(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	data, err := assetFiles.ReadFile(path.Join("assets", path.Base(name)))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	sum := sha256.Sum256(data)
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("ETag", `"`+hex.EncodeToString(sum[:8])+`"`)
	if path.Ext(name) == ".LICENSE" {
		name = "license.txt"
	}
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(data))
}
