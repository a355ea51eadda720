package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"slices"

	"github.com/slicewright/slicewright/producer"
)

// vm is one line of the file.
//
// As JSON the file is a list of objects with these fields. As CSV its first line
// names the columns: address is needed, zone, hostname and state may be there.
// An empty file is an error and no empty list: it is what a file looks like
// while it is being written.
type vm struct {
	Address  string `json:"address"`
	Zone     string `json:"zone"`
	Hostname string `json:"hostname"`
	// State is ready, not-ready, draining or stopping; "" is ready.
	State string `json:"state"`
}

func read(file string) ([]producer.Endpoint, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	parse := parseCSV
	if filepath.Ext(file) == ".json" {
		parse = parseJSON
	}
	vms, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	endpoints := make([]producer.Endpoint, len(vms))
	for i, v := range vms {
		if endpoints[i], err = v.endpoint(); err != nil {
			return nil, fmt.Errorf("%s: machine %d: %w", file, i+1, err)
		}
	}
	return endpoints, nil
}

func parseJSON(data []byte) ([]vm, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	var vms []vm
	if err := dec.Decode(&vms); err != nil {
		return nil, err
	}
	if vms == nil {
		return nil, errors.New("null is no list of machines")
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the list of machines")
	}
	return vms, nil
}

func parseCSV(data []byte) ([]vm, error) {
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, errors.New("the file is empty: its first line names the columns")
	}
	columns := rows[0]
	for _, name := range columns {
		if !slices.Contains([]string{"address", "zone", "hostname", "state"}, name) {
			return nil, fmt.Errorf("column %q is not one of address, zone, hostname, state", name)
		}
	}
	if !slices.Contains(columns, "address") {
		return nil, errors.New("there is no column address")
	}
	vms := make([]vm, 0, len(rows)-1)
	for _, row := range rows[1:] {
		var v vm
		for i, name := range columns {
			switch name {
			case "address":
				v.Address = row[i]
			case "zone":
				v.Zone = row[i]
			case "hostname":
				v.Hostname = row[i]
			case "state":
				v.State = row[i]
			}
		}
		vms = append(vms, v)
	}
	return vms, nil
}

func (v vm) endpoint() (producer.Endpoint, error) {
	addr, err := netip.ParseAddr(v.Address)
	if err != nil {
		return producer.Endpoint{}, fmt.Errorf("address %q: %w", v.Address, err)
	}
	e := producer.Endpoint{Addr: addr, Zone: v.Zone, Hostname: v.Hostname}
	if v.State == "" {
		return e, nil
	}
	for _, s := range []producer.State{producer.Ready, producer.NotReady, producer.Draining, producer.Stopping} {
		if s.String() == v.State {
			e.State = s
			return e, nil
		}
	}
	return producer.Endpoint{}, fmt.Errorf("%s: state %q is not one of ready, not-ready, draining, stopping", v.Address, v.State)
}
